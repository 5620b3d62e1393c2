/**
 * Line icons on a 16 px grid, drawn with the text colour; decoration only, the words next to them carry the meaning.
 */
const PATHS = {
  fleet: 'M2.5 2.5h4.5V7H2.5zM9 2.5h4.5V7H9zM2.5 9H7v4.5H2.5zM9 9h4.5v4.5H9z',
  overview: 'M2 4h12M2 8h8M2 12h10',
  level: 'M2.5 13.5v-5h3v5zM6.5 13.5v-10h3v10zM10.5 13.5v-7h3v7z',
  allocation: 'M2.5 3.5h4.5v9H2.5zM9 3.5h4.5v3H9zM9 8.5h4.5v4H9z',
  classify: 'M2 4h12M4.5 8h7M6.5 12h3',
  live: 'M1.5 8h3l2-4.5 3 9 2-4.5h3',
  editor: 'M3 13l.6-3L10.8 2.8l2.4 2.4L6 12.4z',
  compare: 'M8 2v12M5.5 4h-3v8h3M10.5 4h3v8h-3',
  fork: 'M2.5 8h4l3.5-4h3.5M6.5 8l3.5 4h3.5',
  connection: 'M5.5 2v3.5M10.5 2v3.5M4 5.5h8v2a4 4 0 0 1-8 0zM8 11.5V14',
  sliders: 'M2.5 4.5h6M12.5 4.5h1M10.5 2.5v4M2.5 11.5h1M7.5 11.5h6M5.5 9.5v4',
  bell: 'M4 11.5V7a4 4 0 0 1 8 0v4.5l1.5 1h-11zM7 14h2',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5 14 14',
  aim: 'M8 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM8 1.5v4M8 10.5v4M1.5 8h4M10.5 8h4',
  chevron: 'M4 6l4 4 4-4',
  pause: 'M5.5 3v10M10.5 3v10',
  play: 'M5 3l8 5-8 5z',
  step: 'M3.5 3l6.5 5-6.5 5zM12.5 3v10',
  check: 'M3 8.5l3.2 3.2L13 5',
  cross: 'M4 4l8 8M12 4l-8 8',
  warn: 'M8 2.2 14.2 13H1.8zM8 6.3v3.2M8 11.4v.2',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.3v3.6M8 5v.2',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  lock: 'M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  download: 'M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11',
  table: 'M2.5 3.5h11v9h-11zM2.5 6.5h11M6.5 6.5v6',
  plus: 'M8 3v10M3 8h10',
  undo: 'M5.5 3.5l-3 3 3 3M2.5 6.5h7a3.5 3.5 0 0 1 0 7H6',
  redo: 'M10.5 3.5l3 3-3 3M13.5 6.5h-7a3.5 3.5 0 0 0 0 7H10',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  file: 'M4 2h5l3.5 3.5V14H4zM9 2v3.5h3.5',
  etcd: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM8 2.5V6M8 10v3.5M2.5 8H6M10 8h3.5',
  queue: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  up: 'M8 4.5 12.5 11h-9z',
  down: 'M8 11.5 3.5 5h9z',
  infinity:
    'M8 8C6.5 6 5.4 5.2 4.2 5.2a2.8 2.8 0 0 0 0 5.6C5.4 10.8 6.5 10 8 8s2.6-2.8 3.8-2.8a2.8 2.8 0 0 1 0 5.6C10.6 10.8 9.5 10 8 8z',
  disc: 'M8 12.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9z',
} as const

export type IconName = keyof typeof PATHS

const SOLID: ReadonlySet<IconName> = new Set(['play', 'step', 'up'])

export function Icon({ name, size = 14 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill={SOLID.has(name) ? 'currentColor' : 'none'}
      stroke="currentColor"
      strokeWidth={name === 'more' ? 2.4 : 1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
