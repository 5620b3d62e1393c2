import { createHash } from 'node:crypto'
import { globSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { COMMANDS } from '../../main/cli/run.ts'

const ROOT = join(import.meta.dirname, '../..')
const CHART = 'assets/helm/apf-console'
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

const ContainerSchema = z.object({ args: z.array(z.string()), image: z.string() })
const PodsSchema = z.object({
  spec: z.object({ template: z.object({ spec: z.object({ containers: z.tuple([ContainerSchema]) }) }) }),
})
const RulesSchema = z.object({
  rules: z.array(z.object({ verbs: z.array(z.string()), resources: z.array(z.string()).optional() })),
})
const ChartSchema = z.object({ version: z.string(), appVersion: z.string() })

const objects = parseAllDocuments(textOf('assets/kubernetes/apf-console.yaml'))
const ofKind = (kind: string): unknown[] => objects.filter((one) => one.get('kind') === kind).map((one) => one.toJS())

/*
 * Helm is not on every machine that runs the tests, so nothing renders the chart here. After a change of it, run `npm
 * run test:cluster test/cluster/chart.test.ts`, which compares it with the manifests, and writes the new digest down.
 */
test('the chart is the one that the manifests were compared with', () => {
  const hash = createHash('sha256')
  const files = globSync(`${CHART}/**/*.*`, { cwd: ROOT }).toSorted()
  expect(files).toHaveLength(6)
  for (const file of files) hash.update(`${file.replaceAll('\\', '/')}\n${textOf(file)}`)
  expect(hash.digest('hex')).toBe('c0baf8f5675058e461a808eb5304eed35f702305234960a4cd9aeffa6925349c')
})

test('the versions and the image of the chart are those of the console', () => {
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(textOf('package.json')))
  expect(ChartSchema.parse(parse(textOf(`${CHART}/Chart.yaml`)))).toEqual({ version, appVersion: version })
  const [container] = PodsSchema.parse(ofKind('Deployment')[0]).spec.template.spec.containers
  expect(container.image).toBe(`apf-console:${version}`)
})

test('the manifests are YAML, and their command has the options that they give it', async () => {
  expect(objects.flatMap(({ errors }) => errors)).toEqual([])
  const [container] = PodsSchema.parse(ofKind('Deployment')[0]).spec.template.spec.containers
  const [command, ...options] = container.args
  expect(command).toBe('serve-in-cluster')
  const known = (await COMMANDS['serve-in-cluster']()).options
  for (const option of options) expect(Object.keys(known)).toContain(option.replace(/^--|=.*$/g, ''))
})

test('the service account reads, and creates reviews alone', () => {
  const rules = ofKind('ClusterRole').flatMap((role) => RulesSchema.parse(role).rules)
  const more = rules.filter(({ verbs }) => verbs.some((verb) => !['get', 'list', 'watch'].includes(verb)))
  expect(more.map(({ verbs, resources }) => [verbs, resources])).toEqual([
    [['create'], ['tokenreviews']],
    [['create'], ['subjectaccessreviews']],
  ])
})

/** `\` at the end of a line goes on in the next. */
const instructions = textOf('Containerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => line.split(/\s+/))

test('the container file copies what is there, runs as nobody, and starts the command line', () => {
  for (const [name = ''] of instructions) {
    expect(['FROM', 'WORKDIR', 'COPY', 'ENV', 'RUN', 'VOLUME', 'USER', 'EXPOSE', 'ENTRYPOINT', 'CMD']).toContain(name)
  }
  const copied = instructions
    .filter(([name, from]) => name === 'COPY' && from === '--from=build')
    .flatMap((words) => words.slice(2, -1).map((word) => word.replace('/src/', '')))
  expect(copied.length).toBeGreaterThan(0)
  // The build makes `out`.
  for (const file of copied.filter((one) => !one.startsWith('out/'))) expect(existsSync(join(ROOT, file))).toBe(true)
  // An empty volume is mounted with the owner of what the image has there.
  const made = instructions.find(([name, program]) => name === 'RUN' && program === 'install')?.slice(2) ?? []
  expect(made.join(' ')).toBe('-d -o 65532 -g 65532 -m 0700 /var/lib/apf-console /var/lib/apf-console/state')
  const last = (name: string): string =>
    instructions
      .findLast(([one]) => one === name)
      ?.slice(1)
      .join(' ') ?? ''
  expect(last('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  expect(last('USER').split(':')[0]).toBe(/runAsUser: (\d+)/.exec(textOf('assets/kubernetes/apf-console.yaml'))?.[1])
  expect(JSON.parse(last('ENTRYPOINT'))).toEqual(['node', '/app/out/main/cli.js'])
})

test('docker and podman leave the same out', () => {
  expect(textOf('.dockerignore')).toBe(textOf('.containerignore'))
})
