import type { ExportKind } from '../../../core/alerts/exports.ts'
import { Button } from '../../components/Button.tsx'
import { download } from '../../components/csv.ts'
import { Menu } from '../../components/Menu.tsx'
import { viewStore } from '../../state/view.ts'

const FILES: readonly { readonly kind: ExportKind; readonly label: string; readonly file: string }[] = [
  { kind: 'rules', label: 'Prometheus alert rules', file: 'apf.rules.yaml' },
  { kind: 'recording-rules', label: 'Prometheus recording rules', file: 'apf.recording.yaml' },
  { kind: 'prometheusrule', label: 'PrometheusRule object', file: 'prometheusrule.yaml' },
  { kind: 'alertmanager', label: 'Alertmanager routes', file: 'routes.yaml' },
  { kind: 'dashboard', label: 'Grafana dashboard', file: 'apf.json' },
  { kind: 'mixin', label: 'Jsonnet mixin', file: 'mixin.libsonnet' },
]

/** The rules for the tools that people run, by the version of the shown server; `apf export` sets labels as well. */
export function ExportMenu() {
  const version = viewStore((view) => view.server?.version)
  const save = async (kind: ExportKind, file: string): Promise<void> => {
    const { exportText } = await import('../../../core/alerts/exports.ts')
    download(file, new Blob([exportText(kind, { version, matchers: [], intervalMs: undefined })]))
  }
  return (
    <Menu entries={FILES.map(({ kind, label, file }) => ({ label, onSelect: () => void save(kind, file) }))}>
      <Button title={version === undefined ? 'For the newest version of Kubernetes' : `For ${version}`}>
        Export for Prometheus and Grafana
      </Button>
    </Menu>
  )
}
