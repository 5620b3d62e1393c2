import { formatPatch, structuredPatch } from 'diff'
import { shownLine } from '../text/text.ts'
import type { Kind } from '../config/objects.ts'
import { API_VERSION } from '../config/content.ts'
import { writeManifest, type WritableObject, cleanManifest, writeYaml } from './write.ts'
import { applyMergePatch, isMap, type JsonMap, mergePatch } from './json.ts'

/** One object of a draft: created when `from` is null, deleted when `to` is. */
export interface DraftChange {
  readonly kind: Kind
  readonly name: string
  readonly from: WritableObject | null
  readonly to: WritableObject | null
}

export interface ExportedFile {
  /** Relative, with slashes. */
  readonly path: string
  readonly text: string
}

/** Plural of the kind, as in the paths of the API. */
const pluralOf = (kind: Kind): string => `${kind.toLowerCase()}s`

/** `flowschemas/NAME.yaml`. */
const defaultPath = ({ kind, name }: Pick<DraftChange, 'kind' | 'name'>): string =>
  `${pluralOf(kind)}/${encodeURIComponent(name.toWellFormed())}.yaml`

/** Objects to apply, as one text for `kubectl apply`; a deletion is a comment with its command. */
export function exportYaml(changes: readonly DraftChange[]): string {
  const gone = changes.filter(({ to }) => to === null)
  const commands = gone.map(({ kind, name }) => `#   kubectl delete ${kind.toLowerCase()} ${shownLine(name)}\n`)
  const head =
    commands.length === 0
      ? ''
      : `# Applying this text deletes nothing. To delete what the draft deletes:\n${commands.join('')}`
  const documents = changes.flatMap(({ kind, to }) => (to === null ? [] : [writeManifest(kind, to)]))
  return [...(head === '' ? [] : [head]), ...documents].join('---\n')
}

/**
 * A Kustomize folder: new objects as resources, changed ones as strategic merge patches of what `../base` (a folder
 * or file with the current objects) provides, deleted ones as `$patch: delete`. Kustomize has no schema of version v1 of
 * the group: it merges maps, replaces lists, and `null` removes.
 */
export function exportKustomize(changes: readonly DraftChange[]): readonly ExportedFile[] {
  const files: ExportedFile[] = []
  const resources: string[] = []
  const patches: string[] = []
  for (const change of changes) {
    const { kind, name, from, to } = change
    if (from === null) {
      if (to === null) continue
      const path = defaultPath(change)
      resources.push(path)
      files.push({ path, text: writeManifest(kind, to) })
      continue
    }
    const patch =
      to === null ? deletion(kind, name) : mergePatchOf(kind, name, cleanManifest(kind, from), cleanManifest(kind, to))
    if (patch === undefined) continue
    const path = `patches/${pluralOf(kind)}-${encodeURIComponent(name)}.yaml`
    patches.push(path)
    files.push({ path, text: writeYaml(patch) })
  }
  const kustomization: JsonMap = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [...(patches.length > 0 ? ['../base'] : []), ...resources],
    ...(patches.length > 0 && { patches: patches.map((path) => ({ path })) }),
  }
  return [{ path: 'kustomization.yaml', text: writeYaml(kustomization) }, ...files]
}

/** What Helm takes for a template. */
const escaped = (text: string): string => text.replaceAll('{{', '{{ "{{" }}')

/**
 * A chart with the objects that the draft makes and changes. Helm manages what it creates, so its README says how the
 * chart takes over objects that exist, and how to delete what the draft deletes.
 */
export function exportHelm(changes: readonly DraftChange[]): readonly ExportedFile[] {
  const kept = changes.filter(({ to }) => to !== null)
  const gone = changes.filter(({ from, to }) => to === null && from !== null)
  const taken = kept.some(({ from }) => from !== null)
  const notes = [
    '# Flow control\n',
    `\`helm upgrade --install flow-control .${taken ? ' --take-ownership' : ''}\``,
    ...(taken
      ? [
          'Some of these objects exist: `--take-ownership` (Helm 3.17 or newer) lets the chart change them, and',
          '`helm uninstall` leaves them as they are.',
        ]
      : []),
    ...gone.map(
      ({ kind, name }) =>
        `To delete what the draft deletes: \`kubectl delete ${kind.toLowerCase()} ${shownLine(name)}\``,
    ),
  ]
  const chart: JsonMap = { apiVersion: 'v2', name: 'flow-control', version: '0.1.0', type: 'application' }
  return [
    { path: 'Chart.yaml', text: writeYaml(chart) },
    { path: 'README.md', text: `${notes.join('\n')}\n` },
    ...kept.map((change) => ({
      path: `templates/${defaultPath(change)}`,
      text: escaped(writeYaml(chartObject(change))),
    })),
  ]
}

/** An object that existed before the chart stays after it. */
function chartObject({ kind, from, to }: DraftChange): JsonMap {
  const manifest = to === null ? {} : cleanManifest(kind, to)
  const patch = { metadata: { annotations: { 'helm.sh/resource-policy': 'keep' } } }
  const applied = from === null ? manifest : applyMergePatch(manifest, patch)
  return isMap(applied) ? applied : manifest
}

const identity = (kind: Kind, name: string): JsonMap => ({ apiVersion: API_VERSION, kind, metadata: { name } })

const deletion = (kind: Kind, name: string): JsonMap => ({ ...identity(kind, name), $patch: 'delete' })

/** The patch from one manifest to the other, with the identity that Kustomize matches; `undefined` if equal. */
function mergePatchOf(kind: Kind, name: string, from: JsonMap, to: JsonMap): JsonMap | undefined {
  const changed = mergePatch(from, to)
  if (changed === undefined) return undefined
  const { metadata = {}, ...others } = changed
  return { ...identity(kind, name), ...others, metadata: { name, ...(isMap(metadata) && metadata) } }
}

/** A unified diff for a pull request, for `git apply`: a file for each object, `flowschemas/NAME.yaml`. */
export function exportDiff(changes: readonly DraftChange[]): string {
  const patches = changes.flatMap((change) => {
    const { kind, from, to } = change
    const old = from === null ? undefined : writeManifest(kind, from)
    const text = to === null ? '' : writeManifest(kind, to)
    return old === text ? [] : [patchOf(defaultPath(change), old, text)]
  })
  return patches.join('')
}

function patchOf(path: string, old: string | undefined, text: string): string {
  const patch = structuredPatch(`a/${path}`, `b/${path}`, old ?? '', text, undefined, undefined, { context: 3 })
  return formatPatch({
    ...patch,
    isGit: true,
    ...(old === undefined && { isCreate: true, newMode: '100644', oldFileName: '/dev/null' }),
    ...(text === '' && { isDelete: true, oldMode: '100644', newFileName: '/dev/null' }),
  })
}
