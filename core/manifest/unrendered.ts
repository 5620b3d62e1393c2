import { isMap, isList, toJson, type Json } from './json.ts'
import { otherText } from '../text/otherTexts.ts'
import { jsonOf, type Mapping } from './tree.ts'
import { readYaml } from './yamlTree.ts'

/** Actions that only a Helm chart has; other templates, such as those of alerts, may be values of a manifest. */
const HELM =
  /\{\{-?\s*(?:\/\*|(?:\w+\s+)*(?:\(+\s*)?(?:\.(?:Values|Release|Chart|Capabilities|Files|Template)\b|(?:include|define)\s+"))/

/** Of other tools: Jinja, envsubst, ytt. */
const OTHER = /\{\{|\{%|(\$\{\w)|(#@ )/

/** How Terraform, Jsonnet and CUE begin, after comments. */
const LANGUAGE =
  /^(?:(?:terraform|locals|(?:resource|data|module|provider|variable|output)\s+".*")\s*\{|local\s+\w+\s*=|\(?import\s+['"]|package\s+\w+\s*\n)/

/** Why a text is no manifest yet, and where that begins. `broken`: it is not YAML. */
export function unrenderedIn(
  text: string,
  broken: boolean,
): { readonly at: number; readonly message: string } | undefined {
  const saved = otherText(text)
  if (saved !== undefined && !saved.startsWith('is a binary')) return { at: 0, message: `The text ${saved}.` }
  const helm = HELM.exec(text)
  const other = broken ? OTHER.exec(text) : null
  const found = helm ?? other
  if (found !== null) {
    const [, variable, ytt] = other ?? []
    const tool = helm !== null ? 'helm template CHART' : variable ? 'envsubst' : ytt && 'ytt -f FILE'
    const message = `This is ${helm === null ? 'a template' : 'a Helm template'}, not a manifest: render it first${tool === undefined ? '' : `, as with ${tool}`}, and read the result (- is standard input).`
    return { at: found.index, message }
  }
  if (LANGUAGE.test(text.slice(0, 9_999).replace(/^\s*(?:(?:#|\/\/).*[\r\n]\s*)*/, '')))
    return {
      at: 0,
      message:
        'This is Terraform, Jsonnet or CUE, not a manifest: evaluate it, and read the result (- is standard input).',
    }
  const fence = broken ? text.search(/^```/m) : -1
  return fence === -1
    ? undefined
    : { at: fence, message: 'This is Markdown: save what is between the lines with ``` as a file of its own.' }
}

/** Completes what is said of a patch. */
export const PATCH =
  'a part of an object that is not judged alone: apply it with kubectl patch --dry-run=server -o yaml or kustomize build, and read the result (- is standard input).'

/** Fields of a kustomization that change the objects in its files, so that those are not what is applied. */
const CHANGES = [
  'patches',
  'patchesStrategicMerge',
  'patchesJson6902',
  'namePrefix',
  'nameSuffix',
  'components',
  'transformers',
  'replacements',
  'helmCharts',
]

export const changesIn = ({ entries }: Mapping): readonly string[] =>
  entries.has('apiVersion') && !JSON.stringify(entries.get('apiVersion')?.value).includes('kustomize')
    ? []
    : CHANGES.filter((name) => entries.has(name))

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
