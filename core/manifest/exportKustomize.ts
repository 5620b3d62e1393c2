import { API_VERSION } from '../config/content.ts'
import type { Kind } from '../config/objects.ts'
import { defaultPath, pluralOf, type DraftChange, type ExportedFile } from './exportYaml.ts'
import { isMap, type JsonMap } from './json.ts'
import { mergePatch } from './mergePatch.ts'
import { cleanManifest, writeManifest, writeYaml } from './write.ts'

/**
 * A Kustomize folder: new objects as resources, changed ones as strategic merge patches of what `base` (a folder or
 * file that holds the objects as they are) brings, deleted ones as `$patch: delete`. Kustomize has no schema of version
 * v1 of the group: to it maps are merged, lists replaced, and `null` removes.
 */
export function exportKustomize(changes: readonly DraftChange[], base = '../base'): readonly ExportedFile[] {
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
      to === null ? deletion(kind, name) : patchOf(kind, name, cleanManifest(kind, from), cleanManifest(kind, to))
    if (patch === undefined) continue
    const path = `patches/${pluralOf(kind)}-${encodeURIComponent(name)}.yaml`
    patches.push(path)
    files.push({ path, text: writeYaml(patch) })
  }
  const kustomization: JsonMap = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [...(patches.length > 0 ? [base] : []), ...resources],
    ...(patches.length > 0 && { patches: patches.map((path) => ({ path })) }),
  }
  return [{ path: 'kustomization.yaml', text: writeYaml(kustomization) }, ...files]
}

const identity = (kind: Kind, name: string): JsonMap => ({ apiVersion: API_VERSION, kind, metadata: { name } })

const deletion = (kind: Kind, name: string): JsonMap => ({ ...identity(kind, name), $patch: 'delete' })

/** What changes one manifest into the other, with the identity that Kustomize looks for; `undefined` when nothing does. */
function patchOf(kind: Kind, name: string, from: JsonMap, to: JsonMap): JsonMap | undefined {
  const changed = mergePatch(from, to)
  if (changed === undefined) return undefined
  const { metadata = {}, ...others } = changed
  return { ...identity(kind, name), ...others, metadata: { name, ...(isMap(metadata) && metadata) } }
}
