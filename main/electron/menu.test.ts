import type { MenuItemConstructorOptions } from 'electron'
import { describe, expect, test } from 'vitest'
import { MENU_COMMANDS } from '../../core/contract/desktop.ts'
import { menuTemplate } from './menu.ts'
import { mayOpenOutside } from './security.ts'

const PLATFORMS = ['linux', 'darwin', 'win32'] as const

function menu(platform: NodeJS.Platform, developer = false) {
  const commands: string[] = []
  const outside: string[] = []
  const template = menuTemplate({ appName: 'APF Console', developer }, platform, {
    command: (name) => commands.push(name),
    openFiles: (what) => commands.push(`open ${what}`),
    openOutside: (url) => outside.push(url),
  })
  const items = template.flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []))
  const press = ({ click }: MenuItemConstructorOptions): unknown => click && Reflect.apply(click, undefined, [])
  return { template, items, press, commands, outside }
}
const shape = (items: readonly MenuItemConstructorOptions[]): unknown =>
  items.map(({ role, label, type, submenu }) =>
    Array.isArray(submenu) ? { [role ?? label ?? '']: shape(submenu) } : (role ?? label ?? type),
  )

test('the shape on Linux', () => {
  expect(shape(menu('linux').template)).toMatchInlineSnapshot(`
    [
      {
        "&File": [
          "Choose &Source…",
          "Open &Files…",
          "Open F&older…",
          "separator",
          "quit",
        ],
      },
      "editMenu",
      {
        "&View": [
          "&Overview",
          "&Level",
          "Live &Requests",
          "&Connection",
          "separator",
          "&Pause or Go On",
          "&Go To…",
          "&Sidebar or Rail",
          "separator",
          "resetZoom",
          "zoomIn",
          "zoomOut",
          "togglefullscreen",
        ],
      },
      "windowMenu",
      {
        "help": [
          "&Keyboard Shortcuts",
          "API Priority and Fairness",
          "separator",
          "about",
        ],
      },
    ]
  `)
})
test('the shape on macOS', () => {
  expect(shape(menu('darwin').template)).toMatchInlineSnapshot(`
    [
      {
        "APF Console": [
          "about",
          "separator",
          "hide",
          "hideOthers",
          "unhide",
          "separator",
          "quit",
        ],
      },
      {
        "&File": [
          "Choose &Source…",
          "Open &Files…",
          "Open F&older…",
          "separator",
          "close",
        ],
      },
      "editMenu",
      {
        "&View": [
          "&Overview",
          "&Level",
          "Live &Requests",
          "&Connection",
          "separator",
          "&Pause or Go On",
          "&Go To…",
          "&Sidebar or Rail",
          "separator",
          "resetZoom",
          "zoomIn",
          "zoomOut",
          "togglefullscreen",
        ],
      },
      "windowMenu",
      {
        "help": [
          "&Keyboard Shortcuts",
          "API Priority and Fairness",
        ],
      },
    ]
  `)
})

describe.each(PLATFORMS)('on %s', (platform) => {
  test('every command is there once and says itself', () => {
    const { items, press, commands } = menu(platform)
    for (const item of items) if (item.id !== undefined) press(item)
    expect(commands.toSorted()).toEqual([...MENU_COMMANDS].toSorted())
  })
  test('no two items share an accelerator', () => {
    const accelerators = menu(platform).items.flatMap(({ accelerator }) => accelerator ?? [])
    expect(new Set(accelerators).size).toBe(accelerators.length)
  })
  test('reload and developer tools are for developers', () => {
    const roles = (developer: boolean) => menu(platform, developer).items.map(({ role }) => role)
    expect(roles(true)).toContain('toggleDevTools')
    expect(roles(false)).not.toContain('toggleDevTools')
    expect(roles(false)).not.toContain('reload')
  })
  test('links lead only to places that may be opened', () => {
    const { items, press, outside } = menu(platform)
    for (const item of items) if (item.id === undefined) press(item)
    expect(outside.length).toBeGreaterThan(0)
    expect(outside.filter((url) => !mayOpenOutside(url))).toEqual([])
  })
  test('the application can be left', () => {
    expect(menu(platform).items.filter(({ role }) => role === 'quit')).toHaveLength(1)
  })
})
