import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { z } from 'zod'

const DownloadSchema = z.object({ GoMod: z.string() })

/**
 * The go.mod that builds a release of Kubernetes from the module proxy. Kubernetes' own go.mod points its staging
 * modules at folders of its repository; a module outside has to point them at their published versions instead.
 */
export async function goModFor(version: string): Promise<string> {
  const download = await promisify(execFile)('go', ['mod', 'download', '-json', `k8s.io/kubernetes@${version}`], {
    cwd: tmpdir(),
  })
  return rewriteGoMod(await readFile(DownloadSchema.parse(JSON.parse(download.stdout)).GoMod, 'utf8'), version)
}

/** Pure part of {@link goModFor}: Kubernetes' go.mod in, ours out. */
export function rewriteGoMod(upstream: string, version: string): string {
  const staging = version.replace(/^v1\./, 'v0.')
  const directive = (name: string): string | undefined => new RegExp(`^${name}\\s+(\\S+)`, 'm').exec(upstream)?.[1]
  const go = directive('go')
  const etcd = /^\s*(?:require\s+)?go\.etcd\.io\/etcd\/server\/v3\s+(\S+)/m.exec(upstream)?.[1]
  if (go === undefined || etcd === undefined) throw new Error(`the go.mod of ${version} names no Go or etcd version`)
  const modules = [...upstream.matchAll(/^\s*(?:replace\s+)?(k8s\.io\/[a-z0-9-]+) => \.\/staging\//gm)]
    .map((match) => match[1] ?? '')
    .toSorted()
  return [
    'module apf-kube',
    `go ${go}`,
    ...godebug(directive('godebug'), go),
    `require (\n\tk8s.io/kubernetes ${version}\n\tgo.etcd.io/etcd/server/v3 ${etcd}\n\tk8s.io/component-base ${staging}\n)`,
    `replace (\n${modules.map((name) => `\t${name} => ${name} ${staging}`).join('\n')}\n)`,
    '',
  ].join('\n\n')
}

/** A release is built with the runtime defaults of its own Go version, whichever toolchain compiles it. */
function godebug(stated: string | undefined, go: string): string[] {
  if (stated?.startsWith('default=v')) return []
  if (stated !== undefined) return [`godebug ${stated}`]
  const [major = '1', minor = '0'] = go.split('.')
  return Number(minor) < 25 ? [`godebug default=go${major}.${minor}`] : []
}
