import { isMap, isList, toJson, type Json } from './json.ts'
import { jsonOf } from './tree.ts'
import { readYaml } from './yamlTree.ts'

/** Actions that only a Helm chart has; other templates, such as those of alerts, may be values of a manifest. */
const HELM =
  /\{\{-?\s*(?:\/\*|(?:\w+\s+)*\(*\s*(?:\.(?:Values|Release|Chart|Capabilities|Files|Template)\b|(?:include|define)\s+"))/

/** Where a template begins, and what it is: text that is no manifest until it is rendered. `broken`: it is not YAML. */
export function templateIn(text: string, broken: boolean): { readonly at: number; readonly what: string } | undefined {
  const helm = text.search(HELM)
  if (helm !== -1) return { at: helm, what: 'a Helm template' }
  const other = broken ? text.search(/\{\{/) : -1
  return other === -1 ? undefined : { at: other, what: 'a template' }
}

/** The files that the text of a kustomization names as patches, relative to its folder. They are parts of objects. */
export function patchesOf(kustomization: string): readonly string[] {
  const [document] = readYaml(kustomization)
  const value = document?.tree === undefined ? null : toJson(jsonOf(document.tree))
  if (value === null || !isMap(value)) return []
  const entries = ['patches', 'patchesStrategicMerge', 'patchesJson6902'].flatMap((key): readonly Json[] => {
    const list = value[key] ?? null
    return isList(list) ? list : []
  })
  return entries.flatMap((entry) => {
    const path = isMap(entry) ? entry['path'] : entry
    return typeof path === 'string' ? [path] : []
  })
}
