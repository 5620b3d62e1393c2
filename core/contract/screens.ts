export const SCREENS = [
  'fleet',
  'overview',
  'level',
  'allocation',
  'classify',
  'live',
  'editor',
  'recordings',
  'compare',
  'whatif',
  'alerts',
  'diagnosis',
  'connection',
  'settings',
  'etcd',
] as const
export type ScreenName = (typeof SCREENS)[number]

/** Screens of several pages, the first of which is the default. */
export const PAGES = {
  classify: ['request', 'tests', 'coverage', 'sharding'],
  editor: ['draft', 'advisor', 'drift', 'journal'],
  whatif: ['runs', 'scenarios', 'beside'],
} as const satisfies Partial<Record<ScreenName, readonly string[]>>
export type PageName = (typeof PAGES)[keyof typeof PAGES][number]

/** The pages of a screen; none when it is one page. */
export const pagesOf = (screen: ScreenName): readonly PageName[] =>
  screen === 'classify' || screen === 'editor' || screen === 'whatif' ? PAGES[screen] : []
