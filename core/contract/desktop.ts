/** The object that the preload script of the desktop window exposes to the page; absent in a browser. */
export interface DesktopBridge {
  /**
   * Requests a line from the main process. The line arrives as the one MessagePort of a `message` event whose source is
   * the window itself and whose data is `nonce`; contextBridge cannot pass ports.
   */
  connect(nonce: string): void
  /** Calls back with the name of each command chosen in the application menu. Returns the function that ends it. */
  onCommand(listener: (name: unknown) => void): () => void
}
export const DESKTOP_BRIDGE = 'apfDesktop'

/**
 * The commands that the application menu can send to the page: the page carries them out, so the menu contains no
 * logic.
 */
export const MENU_COMMANDS = [
  'go-overview',
  'go-level',
  'go-live',
  'go-connection',
  'choose-source',
  'toggle-pause',
  'toggle-sidebar',
  'open-palette',
  'show-shortcuts',
] as const
export type MenuCommand = (typeof MENU_COMMANDS)[number]

export const isMenuCommand = (name: unknown): name is MenuCommand => MENU_COMMANDS.some((known) => known === name)

/** Names of the two channels between the preload script and the main process. */
export const CONNECT_CHANNEL = 'apf:connect'
export const COMMAND_CHANNEL = 'apf:command'
