import type { EtcdState } from '../../../core/contract/etcd.ts'
import { writeYaml } from '../../../core/manifest/write.ts'
import { download } from '../../components/csv.ts'

const NAME = 'etcd-rules.yaml'

/** The rules in effect as a file that `qos import` and `etcd-proxy --rules` read. */
export const rulesFileText = ({ classes, rules, settings = {} }: Pick<EtcdState, 'classes' | 'rules' | 'settings'>) =>
  `# apf-console qos import ${NAME}\n${writeYaml({
    classes: classes.map(({ document }) => document),
    rules: rules.map(({ document }) => document),
    ...settings,
  })}`

export const exportRules = (state: Parameters<typeof rulesFileText>[0]): void =>
  download(NAME, new Blob([rulesFileText(state)], { type: 'application/yaml' }))
