/** A file of a sweep: its own, or the scenario or recording that it references. */
export interface JobFile {
  /** Without a folder. */
  readonly name: string
  readonly text: string
}

export interface SweepJob {
  /** Name of the sweep, for people. */
  readonly name: string
  readonly image: string
  readonly shards: number
  /** A PersistentVolumeClaim that several pods can write to. Without one, results go to the logs of the pods. */
  readonly claim: string | undefined
  readonly namespace: string | undefined
  /** The name of the sweep among the files. */
  readonly sweepFile: string
  readonly files: readonly JobFile[]
}

const SHORT_NAME = 40

/** A valid Kubernetes name, with room for the suffixes of pods. */
const objectName = (name: string): string => {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, SHORT_NAME)
    .replaceAll(/^-+|-+$/g, '')
  return plain === '' ? 'sweep' : `sweep-${plain}`
}

const [FILES, RESULTS] = ['/sweep', '/results']

/** The objects of an Indexed Job, each pod of which runs one shard: a ConfigMap with the files, and the Job. */
export function sweepJob({ name, image, shards, claim, namespace, sweepFile, files }: SweepJob): readonly object[] {
  const object = objectName(name)
  const metadata = {
    name: object,
    ...(namespace !== undefined && { namespace }),
    labels: { 'app.kubernetes.io/name': 'apf-console', 'app.kubernetes.io/component': 'sweep' },
  }
  const results = claim === undefined ? '-' : `${RESULTS}/$(JOB_COMPLETION_INDEX)-of-${shards}.ndjson`
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
      data: Object.fromEntries(files.map((file) => [file.name, file.text])),
    },
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata,
      spec: {
        completionMode: 'Indexed',
        completions: shards,
        parallelism: shards,
        // A failed pod loses only its own shard, which is run again.
        backoffLimitPerIndex: 3,
        maxFailedIndexes: shards,
        template: {
          metadata: { labels: metadata.labels },
          spec: {
            restartPolicy: 'Never',
            automountServiceAccountToken: false,
            securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
            containers: [
              {
                name: 'sweep',
                image,
                args: [
                  'sweep',
                  `${FILES}/${sweepFile}`,
                  '--shard',
                  `$(JOB_COMPLETION_INDEX)/${shards}`,
                  '--threads',
                  '1',
                  '--results',
                  results,
                ],
                resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '3Gi' } },
                securityContext: {
                  allowPrivilegeEscalation: false,
                  readOnlyRootFilesystem: true,
                  capabilities: { drop: ['ALL'] },
                },
                volumeMounts: [
                  { name: 'files', mountPath: FILES, readOnly: true },
                  { name: 'state', mountPath: '/home/node' },
                  ...(claim === undefined ? [] : [{ name: 'results', mountPath: RESULTS }]),
                ],
              },
            ],
            volumes: [
              { name: 'files', configMap: { name: object } },
              { name: 'state', emptyDir: {} },
              ...(claim === undefined ? [] : [{ name: 'results', persistentVolumeClaim: { claimName: claim } }]),
            ],
          },
        },
      },
    },
  ]
}

/** How to build the image of such a Job, next to the packed console of this version. */
export const containerfile = (version: string): string => `# npm pack makes apf-console-${version}.tgz in a checkout.
FROM node:24-slim
COPY apf-console-${version}.tgz /tmp/
RUN npm install -g --omit=optional /tmp/apf-console-${version}.tgz && rm /tmp/apf-console-${version}.tgz
ENV HOME=/home/node
USER 1000
ENTRYPOINT ["apf-console"]
`
