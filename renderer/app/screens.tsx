import { lazy, type ComponentType, type LazyExoticComponent } from 'react'
import type { IconName } from '../components/Icon.tsx'
import type { PageName, ScreenName } from '../state/route.logic.ts'

export interface ScreenEntry {
  readonly name: ScreenName
  readonly label: string
  /** The number key that leads there. */
  readonly key: string
  readonly icon: IconName
  /** What the sidebar calls its pages, when it has several. */
  readonly pages?: readonly { readonly name: PageName; readonly label: string }[]
  readonly Screen: LazyExoticComponent<ComponentType>
}

/** The screens that work, in the order of the sidebar. */
export const SCREEN_ENTRIES: readonly ScreenEntry[] = [
  {
    name: 'overview',
    label: 'Overview',
    key: '1',
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
    icon: 'allocation',
    Screen: lazy(async () => ({ default: (await import('../screens/allocation/index.tsx')).AllocationScreen })),
  },
  {
    name: 'classify',
    label: 'Classify',
    key: '4',
    icon: 'classify',
    pages: [
      { name: 'request', label: 'One request' },
      { name: 'live', label: 'Live requests' },
      { name: 'tests', label: 'Test table' },
      { name: 'coverage', label: 'Coverage' },
      { name: 'sharding', label: 'Sharding' },
    ],
    Screen: lazy(async () => ({ default: (await import('../screens/classify/index.tsx')).ClassifyScreen })),
  },
  {
    name: 'editor',
    label: 'Editor',
    key: '5',
    icon: 'editor',
    pages: [
      { name: 'draft', label: 'Draft' },
      { name: 'drift', label: 'Drift' },
      { name: 'journal', label: 'Journal' },
    ],
    Screen: lazy(async () => ({ default: (await import('../screens/editor/index.tsx')).EditorScreen })),
  },
  {
    name: 'connection',
    label: 'Connection',
    key: '9',
    icon: 'connection',
    Screen: lazy(async () => ({ default: (await import('../screens/connect/index.tsx')).ConnectScreen })),
  },
]
