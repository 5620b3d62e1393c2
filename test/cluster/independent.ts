/**
 * A second reading of what the server answered, on purpose nothing but regular expressions: it shares no line with the
 * console's parsers, so both being wrong in the same way is unlikely.
 */

export interface Sample {
  readonly name: string
  readonly labels: ReadonlyMap<string, string>
  readonly value: number
}

/** Samples of the flow-control families of a page, which have no escapes in their labels. */
export function readSamples(page: string): Sample[] {
  return [...page.matchAll(/^(apiserver_flowcontrol_\w+)(?:\{(.*)\})? (\S+)$/gm)].map(
    ([, name = '', labels = '', value]) => ({
      name: name.replace('apiserver_flowcontrol_', ''),
      labels: new Map([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text])),
      value: Number(value),
    }),
  )
}

/** Sum of the samples of a name with these labels; `undefined` when there is none. */
export function total(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>>,
): number | undefined {
  const wanted = Object.entries(labels)
  const found = samples.filter(
    (sample) => sample.name === name && wanted.every(([key, value]) => sample.labels.get(key) === value),
  )
  return found.length > 0 ? found.reduce((sum, { value }) => sum + value, 0) : undefined
}

export const labelValues = (
  samples: readonly Sample[],
  label: string,
  where: (sample: Sample) => boolean = () => true,
): string[] => [...new Set(samples.filter(where).flatMap(({ labels }) => labels.get(label) ?? []))].toSorted()

/** Rows of a dump by column name. Splitting at commas is right for dumps whose cells hold none. */
export function readRows(dump: string): Record<string, string>[] {
  const [header = '', ...lines] = dump.trimEnd().split('\n')
  const columns = header.split(',').map((cell) => cell.trim())
  return lines.map((line) => {
    const cells = line.split(',').map((cell) => cell.trim())
    return Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? '']))
  })
}
