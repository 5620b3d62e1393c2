/** Marks the place of the fuses in an Electron binary; a version, a length and one character per fuse follow. */
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'

/** In the order of the binary. */
const FUSES = [
  'runAsNode',
  'enableCookieEncryption',
  'enableNodeOptionsEnvironmentVariable',
  'enableNodeCliInspectArguments',
  'enableEmbeddedAsarIntegrityValidation',
  'onlyLoadAppFromAsar',
  'loadBrowserProcessSpecificV8Snapshot',
  'grantFileProtocolExtraPrivileges',
] as const

/** The fuses as Electron delivers them. */
export const deliveredFuses = (): Buffer =>
  Buffer.concat([Buffer.from(SENTINEL), Buffer.from([1, 9]), Buffer.from('101100011')])

/** Which fuses are on, by name. */
export function readFuses(binary: Buffer): Record<string, boolean> {
  const at = binary.indexOf(SENTINEL)
  if (at < 0) return {}
  const states = binary.toString('latin1', at + SENTINEL.length + 2)
  return Object.fromEntries(FUSES.map((name, index) => [name, states[index] === '1']))
}
