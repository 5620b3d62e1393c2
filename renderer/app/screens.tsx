import { lazy, type ComponentType, type LazyExoticComponent } from 'react'
import type { IconName } from '../components/Icon.tsx'
import type { PageName, ScreenName } from '../../core/contract/screens.ts'

export interface ScreenEntry {
  readonly name: ScreenName
  readonly label: string
  /** The number key that leads there. */
  readonly key: string
  /** Synonyms, for the palette. */
  readonly also?: string
  readonly icon: IconName
  /** Only useful while an etcd proxy is shown. */
  readonly forEtcd?: true
  /** The names of its pages in the sidebar, when it has several. */
  readonly pages?: readonly { readonly name: PageName; readonly label: string; readonly also?: string }[]
  readonly Screen: LazyExoticComponent<ComponentType>
}

/** All screens, in the order of the sidebar. */
export const SCREEN_ENTRIES: readonly ScreenEntry[] = [
  {
    name: 'fleet',
    label: 'Fleet',
    key: 'H',
    also: 'clusters all sources compare drift saturation',
    icon: 'fleet',
    Screen: lazy(async () => ({ default: (await import('../screens/fleet/index.tsx')).FleetScreen })),
  },
  {
    name: 'overview',
    label: 'Overview',
    key: '1',
    also: 'home dashboard start',
    icon: 'overview',
    Screen: lazy(async () => ({ default: (await import('../screens/overview/index.tsx')).OverviewScreen })),
  },
  {
    name: 'level',
    label: 'Level',
    key: '2',
    icon: 'level',
    Screen: lazy(async () => ({ default: (await import('../screens/level/index.tsx')).LevelScreen })),
  },
  {
    name: 'allocation',
    label: 'Allocation',
    key: '3',
    also: 'borrow lend fair limits explain',
    icon: 'allocation',
    Screen: lazy(async () => ({ default: (await import('../screens/allocation/index.tsx')).AllocationScreen })),
  },
  {
    name: 'classify',
    label: 'Classify',
    key: '4',
    also: 'match schema kubectl curl request',
    icon: 'classify',
    pages: [
      { name: 'request', label: 'One request' },
      { name: 'tests', label: 'Test table', also: 'regression saved' },
      { name: 'coverage', label: 'Coverage' },
      { name: 'sharding', label: 'Sharding', also: 'queues hand collisions' },
    ],
    Screen: lazy(async () => ({ default: (await import('../screens/classify/index.tsx')).ClassifyScreen })),
  },
  {
    name: 'live',
    label: 'Live requests',
    key: '5',
    also: 'traffic stream proxy audit filter shadow 429',
    icon: 'live',
    Screen: lazy(async () => ({ default: (await import('../screens/live/index.tsx')).LivePage })),
  },
  {
    name: 'editor',
    label: 'Editor',
    key: '6',
    also: 'kubectl edit yaml change draft',
    icon: 'editor',
    pages: [
      { name: 'draft', label: 'Draft' },
      { name: 'advisor', label: 'Advisor', also: 'advice right-size shares capacity flags scrape cost unused' },
      { name: 'drift', label: 'Drift', also: 'diff compare' },
      { name: 'journal', label: 'Journal', also: 'history undo applied' },
    ],
    Screen: lazy(async () => ({ default: (await import('../screens/editor/index.tsx')).EditorScreen })),
  },
  {
    name: 'recordings',
    label: 'Recordings',
    key: '7',
    also: 'past replay flight recorder history rewind',
    icon: 'disc',
    Screen: lazy(async () => ({ default: (await import('../screens/recordings/index.tsx')).RecordingsScreen })),
  },
  {
    name: 'compare',
    label: 'Compare',
    key: '8',
    also: 'periods before after difference mark yesterday',
    icon: 'compare',
    Screen: lazy(async () => ({ default: (await import('../screens/compare/index.tsx')).CompareScreen })),
  },
  {
    name: 'whatif',
    label: 'What-if',
    key: 'W',
    also: 'variants forecast',
    icon: 'fork',
    pages: [
      { name: 'runs', label: 'Compare runs' },
      { name: 'scenarios', label: 'Scenarios', also: 'library simulate' },
      { name: 'beside', label: 'Side by side' },
    ],
    Screen: lazy(async () => ({ default: (await import('../screens/whatif/index.tsx')).WhatIfScreen })),
  },
  {
    name: 'alerts',
    label: 'Alerts',
    key: 'A',
    also: 'rules notifications silence prometheus grafana',
    icon: 'bell',
    Screen: lazy(async () => ({ default: (await import('../screens/alerts/index.tsx')).AlertsScreen })),
  },
  {
    name: 'diagnosis',
    label: 'Diagnosis',
    key: 'D',
    also: 'why slow rejected cause advice troubleshoot',
    icon: 'aim',
    Screen: lazy(async () => ({ default: (await import('../screens/diagnosis/index.tsx')).DiagnosisScreen })),
  },
  {
    name: 'connection',
    label: 'Connection',
    key: '9',
    also: 'kubeconfig kubectl cluster source proxy feed file permissions',
    icon: 'connection',
    Screen: lazy(async () => ({ default: (await import('../screens/connect/index.tsx')).ConnectScreen })),
  },
  {
    name: 'settings',
    label: 'Settings',
    key: 'Ctrl ,',
    also: 'preferences options configure theme clock density updates recordings kept',
    icon: 'sliders',
    Screen: lazy(async () => ({ default: (await import('../screens/settings/index.tsx')).SettingsScreen })),
  },
  {
    name: 'etcd',
    label: 'etcd',
    key: '0',
    also: 'qos rules classes tenants quota grpc slow expensive',
    icon: 'etcd',
    forEtcd: true,
    Screen: lazy(async () => ({ default: (await import('../screens/etcd/index.tsx')).EtcdScreen })),
  },
]

/** The screens that are useful with or without an `etcd` proxy shown. The others keep their places. */
export const screensFor = (etcd: boolean): readonly ScreenEntry[] =>
  SCREEN_ENTRIES.filter(({ forEtcd }) => forEtcd !== true || etcd)
