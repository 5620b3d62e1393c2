import { type Finding, entry, member, quoted, rejected, suspicious } from './finding.ts'
import type { ValidationRules } from './builtIn.ts'
import type { ObjectMeta, OwnerReference } from './objects.ts'

const MOST_ANNOTATION_BYTES = 256 * 1024

/**
 * Findings about `metadata` that both kinds share (specification 1.5, 1.6). Fields that the server sets itself are not
 * checked.
 */
export function validateMetadata(metadata: ObjectMeta, rules: ValidationRules): Finding[] {
  return [
    ...nameFindings(metadata),
    ...labelFindings(metadata.labels ?? {}),
    ...annotationFindings(metadata.annotations ?? {}),
    ...ownerFindings(metadata.ownerReferences ?? [], rules),
    ...finalizerFindings(metadata.finalizers ?? []),
  ]
}

/** The server generates names from at most this much of a prefix plus five more characters. */
const LONGEST_NAME_BASE = 58

function nameFindings({ name, generateName = '' }: ObjectMeta): Finding[] {
  const findings: Finding[] = []
  if (generateName !== '') {
    // A dash at the end is followed by a letter or digit.
    const whole = generateName.length > 1 && generateName.endsWith('-') ? `${generateName.slice(0, -2)}a` : generateName
    if (!isSubdomain(whole)) findings.push(notASubdomain('metadata.generateName', generateName))
  }
  if (name !== '') {
    if (!isSubdomain(name)) findings.push(notASubdomain('metadata.name', name))
  } else if (generateName === '') {
    findings.push(rejected('metadata.name', 'FieldValueRequired', 'The object has no name: give it one.'))
  } else {
    if (!isSubdomain(`${generateName.slice(0, LONGEST_NAME_BASE)}00000`))
      findings.push(notASubdomain('metadata.name', generateName))
    findings.push(
      suspicious(
        'metadata.generateName',
        'The server generates a name from generateName only at creation, a new one every time; to apply the object, give it a name.',
      ),
    )
  }
  return findings
}

const notASubdomain = (field: string, name: string): Finding =>
  rejected(field, 'FieldValueInvalid', `${quoted(name)} is not a valid name: use ${SUBDOMAIN_RULE}.`)

function labelFindings(labels: Readonly<Record<string, string>>): Finding[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...(isQualifiedName(key) ? [] : [badKey('metadata.labels', 'label', key)]),
    ...(isLabelValue(value)
      ? []
      : [
          rejected(
            'metadata.labels',
            'FieldValueInvalid',
            `Label ${quoted(key)} cannot have the value ${quoted(value)}: use ${LABEL_VALUE_RULE}.`,
          ),
        ]),
  ])
}

function annotationFindings(annotations: Readonly<Record<string, string>>): Finding[] {
  const entries = Object.entries(annotations)
  // Unlike those of labels, their domains may contain upper-case letters.
  const findings = entries.flatMap(([key]) =>
    isQualifiedName(key.toLowerCase()) ? [] : [badKey('metadata.annotations', 'annotation', key)],
  )
  const bytes = entries.reduce((sum, [key, value]) => sum + utf8Length(key) + utf8Length(value), 0)
  if (bytes > MOST_ANNOTATION_BYTES) {
    const message = `The annotations have ${bytes} bytes in total, and at most ${MOST_ANNOTATION_BYTES} are allowed: shorten or remove some.`
    findings.push(rejected('metadata.annotations', 'FieldValueTooLong', message))
  }
  return findings
}

const badKey = (field: string, what: string, key: string): Finding =>
  rejected(field, 'FieldValueInvalid', `${quoted(key)} cannot be the key of a ${what}: use ${QUALIFIED_NAME_RULE}.`)

/** Before declarative validation, the server reports all of these on the list, not on its entries. */
function ownerFindings(owners: readonly OwnerReference[], { declarative }: ValidationRules): Finding[] {
  const list = 'metadata.ownerReferences'
  const findings = owners.flatMap((owner, index) => {
    const at = declarative ? entry(list, index) : list
    const empty = (['apiVersion', 'kind', 'name', 'uid'] as const).filter((key) => owner[key] === '')
    return [
      ...empty.map((key) =>
        rejected(
          member(at, key),
          declarative ? 'FieldValueRequired' : 'FieldValueInvalid',
          `An owner reference has no ${key}: fill it in or remove the reference.`,
        ),
      ),
      ...(owner.apiVersion === '' || VERSION_FORM.test(owner.apiVersion)
        ? []
        : [
            rejected(
              member(at, 'apiVersion'),
              'FieldValueInvalid',
              `${quoted(owner.apiVersion)} is not an apiVersion: write a version, or a group, “/” and a version.`,
            ),
          ]),
      ...(/^\/?v1$/.test(owner.apiVersion) && owner.kind === 'Event'
        ? [rejected(at, 'FieldValueInvalid', 'An Event cannot be the owner of anything: remove this owner reference.')]
        : []),
    ]
  })
  if (owners.filter(({ controller }) => controller === true).length > 1)
    findings.push(rejected(list, 'FieldValueInvalid', 'Only one owner reference may mark its owner as the controller.'))
  return findings
}

/** `group/version` or `version`; the server accepts an empty group. */
const VERSION_FORM = /^(?:[^/]*\/)?[^/]+$/

const ORPHAN = 'orphan'
const FOREGROUND = 'foregroundDeletion'
/** Finalizers that are valid without a domain. */
const STANDARD = new Set([ORPHAN, FOREGROUND, 'kubernetes'])

function finalizerFindings(finalizers: readonly string[]): Finding[] {
  const at = 'metadata.finalizers'
  const findings = finalizers.flatMap((name, index) => [
    ...(isQualifiedName(name)
      ? []
      : [rejected(at, 'FieldValueInvalid', `${quoted(name)} cannot be a finalizer: use ${QUALIFIED_NAME_RULE}.`)]),
    ...(name.includes('/') || STANDARD.has(name)
      ? []
      : [
          rejected(
            entry(at, index),
            'FieldValueInvalid',
            `${quoted(name)} is not a known finalizer: put the domain of its owner and “/” before it.`,
          ),
        ]),
  ])
  if (finalizers.includes(ORPHAN) && finalizers.includes(FOREGROUND)) {
    const message = `The finalizers “${ORPHAN}” and “${FOREGROUND}” exclude each other: remove one.`
    findings.push(rejected(at, 'FieldValueInvalid', message))
  }
  return findings
}

function utf8Length(text: string): number {
  let bytes = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes
}

/** The forms of names that the API server accepts, and the message for other names. */
const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const SUBDOMAIN_FORM = new RegExp(String.raw`^${LABEL}(\.${LABEL})*$`)
const LABEL_FORM = new RegExp(`^${LABEL}$`)
const KEY_FORM = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/

const LONGEST_SUBDOMAIN = 253
const LONGEST_LABEL = 63

/** DNS-1123 subdomain: names of objects and of service accounts. */
export const isSubdomain = (name: string): boolean => name.length <= LONGEST_SUBDOMAIN && SUBDOMAIN_FORM.test(name)

/** DNS-1123 label: names of namespaces. */
export const isLabel = (name: string): boolean => name.length <= LONGEST_LABEL && LABEL_FORM.test(name)

/** Key of a label and name of a finalizer: a name, optionally preceded by a domain and a slash. */
function isQualifiedName(key: string): boolean {
  const [first = '', second, ...more] = key.split('/')
  if (more.length > 0) return false
  const name = second ?? first
  return name.length <= LONGEST_LABEL && KEY_FORM.test(name) && (second === undefined || isSubdomain(first))
}

const isLabelValue = (value: string): boolean => value === '' || (value.length <= LONGEST_LABEL && KEY_FORM.test(value))

export const SUBDOMAIN_RULE = `at most ${LONGEST_SUBDOMAIN} lower-case letters, digits, “-” and “.”, with a letter or digit at both ends and next to every “.”`
export const LABEL_RULE = `at most ${LONGEST_LABEL} lower-case letters, digits and “-”, with a letter or digit at both ends`
const QUALIFIED_NAME_RULE = `at most ${LONGEST_LABEL} letters, digits, “-”, “_” and “.”, with a letter or digit at both ends; a domain and “/” may precede it`
const LABEL_VALUE_RULE = `nothing, or at most ${LONGEST_LABEL} letters, digits, “-”, “_” and “.”, with a letter or digit at both ends`
