import { REASONS, type Reason } from '../../core/config/finding.ts'
import { subjectOf, type Validated } from './validateReport.ts'

/** What each reason means, for readers of the report. */
const DESCRIPTIONS: Readonly<Record<Reason, string>> = {
  FieldValueRequired: 'A field that must have a value has none.',
  FieldValueInvalid: 'A field has a value that is not allowed, or probably not meant.',
  FieldValueNotSupported: 'A field has a value that is not one of those allowed.',
  FieldValueNotFound: 'A field names an object that does not exist.',
  FieldValueForbidden: 'A field has a value where it must have none.',
  FieldValueDuplicate: 'Something is there twice that may be there once.',
  FieldValueTooLong: 'A value is longer than allowed.',
  FieldValueTooMany: 'A list has more entries than allowed.',
  FieldValueTypeInvalid: 'A value has another type than its field.',
  FieldUnknown: 'The API has no such field.',
  Malformed: 'The text or a value cannot be read.',
}

/** SARIF 2.1.0, for code scanning. Addresses are relative to the working directory. */
export function sarifReport({ findings, version, tool }: Validated): unknown {
  const used = REASONS.filter((reason) => findings.some((finding) => finding.reason === reason))
  const results = findings.map((finding) => ({
    ruleId: finding.reason,
    ruleIndex: used.indexOf(finding.reason),
    level: finding.severity,
    message: { text: subjectOf(finding) + finding.message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(finding.file) },
          region: { startLine: finding.line, startColumn: finding.column },
        },
        ...(finding.kind !== '' && {
          logicalLocations: [
            { fullyQualifiedName: [finding.kind, finding.name, finding.field].filter(Boolean).join('/') },
          ],
        }),
      },
    ],
  }))
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'APF Console',
            version: tool,
            rules: used.map((reason) => ({ id: reason, shortDescription: { text: DESCRIPTIONS[reason] } })),
          },
        },
        automationDetails: { id: `apf-console/validate/${version}` },
        columnKind: 'utf16CodeUnits',
        results,
      },
    ],
  }
}

const uriOf = (file: string): string => file.split('/').map(encodeURIComponent).join('/')
