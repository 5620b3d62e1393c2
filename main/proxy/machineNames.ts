import { hostname, networkInterfaces } from 'node:os'

/**
 * Addresses of this machine that others can reach, those of version 4 first, and its name. Addresses that hold on one link
 * only are left out: they need the name of an interface of the client's.
 */
export function machineNames(): readonly string[] {
  const addresses = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal, address }) => !internal && !/^fe[89ab]/i.test(address))
    .toSorted((a, b) => a.family.localeCompare(b.family))
    .map(({ address }) => address)
  const name = hostname().toLowerCase()
  return [...addresses, ...(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name) ? [name] : [])]
}
