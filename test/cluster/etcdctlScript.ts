import type { EtcdServer } from './etcdServer.ts'

/**
 * Commands and their input. Each acts on keys and names of its own, which begin with P; LEASE is the lease that was
 * granted last, and REVISION one that can be compacted. Commands that a version does not have must fail alike.
 */
const SCRIPT: readonly (readonly [command: string | readonly string[], input?: string])[] = [
  ['version'],
  ['put P/a 1'],
  ['put P/b -- two'],
  ['put P/c 3 --prev-kv'],
  ['get P/a'],
  ['get P/a --write-out=json'],
  ['get P/ --prefix -w fields --count-only'],
  ['get P/ --prefix --keys-only --limit 1'],
  ['get P/ P/c'],
  ['get P/ --prefix --order=DESCEND --sort-by=KEY --print-value-only'],
  ['get P/b --from-key --limit 1 --print-value-only'],
  ['get P/a --consistency=s'],
  ['get P/a --rev 99999999'],
  [['watch', 'P/a', '--rev=1', '--', 'sh', '-c', 'kill $PPID']],
  ['txn', 'value("P/a") = "1"\n\nput P/c 3\nget P/ --prefix\n\nget P/b\n\n'],
  ['txn', 'version("P/a") = "9"\n\nput P/c 4\n\ndel P/c\n\n'],
  ['txn', 'nonsense\n\n'],
  ['del P/c --prev-kv'],
  ['del P/none'],
  ['lease grant 600'],
  ['put P/leased 1 --lease=LEASE'],
  ['lease keep-alive --once LEASE'],
  ['lease timetolive LEASE --keys'],
  ['lease revoke LEASE'],
  ['get P/leased'],
  ['lease list'],
  ['lease grant not-a-number'],
  ['lease timetolive 1'],
  ['lease keep-alive --once 1'],
  ['lease revoke 1'],
  ['lock P-lock echo held'],
  ['lock P-lock --ttl=5 false'],
  ['member list'],
  ['member list --write-out=table'],
  ['member add P-member'],
  ['member remove 1'],
  ['member promote 1'],
  ['member update 1 --peer-urls=http://127.0.0.1:1'],
  ['move-leader 1'],
  ['endpoint health'],
  ['endpoint status'],
  ['endpoint hashkv'],
  ['alarm list'],
  ['alarm disarm'],
  ['downgrade validate 3.5'],
  ['downgrade cancel'],
  ['auth status'],
  ['auth enable'],
  ['auth disable'],
  ['role add P-role'],
  ['role add P-role'],
  ['role grant-permission P-role readwrite P/ --prefix'],
  ['role get P-role'],
  ['role revoke-permission P-role P/ --prefix'],
  ['role revoke-permission P-role P/none'],
  ['user add P-user:secret'],
  ['user add P-user:secret'],
  ['user get P-user --detail'],
  ['user grant-role P-user P-role'],
  ['user get P-user'],
  ['user revoke-role P-user P-role'],
  ['user passwd P-user --interactive=false', 'other\n'],
  ['user delete P-user'],
  ['role delete P-role'],
  ['user get nobody'],
  ['user list'],
  ['role list'],
  ['role get none'],
  ['compaction 99999999'],
  ['compaction REVISION'],
  ['get P/a --rev 1'],
  ['defrag'],
  ['snapshot save P-copy.db'],
  ['put P/a'],
  ['get P/a --user nobody:wrong'],
  ['no-such-command'],
]

/** Values that differ from call to call: addresses, revisions, identities, durations, lines of a log. */
const steady = (output: string): string =>
  output
    .split('\n')
    .filter((line) => !line.startsWith('{"level":'))
    .join('\n')
    .replaceAll(/P[12](?=[/\-0])/g, 'P')
    .replaceAll(/"key":"[^"]*"/g, 'KEY')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
    .replaceAll(/took:? ?=? ?[\d.µnm]+s/gi, 'took T')
    .replaceAll(/"(?:Revision|RaftTerm|ClusterID|MemberID)" : \d+/g, 'N')
    .replaceAll(/"\w*(?:revision|_id|term)":\d+/g, 'N')
    .replaceAll(/^HOST, .*/gm, (line) => line.replaceAll(/[\da-f.]+ ?(?:[kM]B)?/g, 'N'))
    .replaceAll(/remaining\(\d+s\)/g, 'remaining(N)')
    .replaceAll(/compacted revision \d+/g, 'compacted revision N')
    .replaceAll(/\b[\da-f]{14,16}\b/g, 'ID')

/** A busy machine may take long over any of them. */
const PATIENT = ['--command-timeout=60s', '--dial-timeout=60s']

interface Side {
  readonly at: string
  readonly prefix: string
  readonly revision: string
  lease: string
}

interface Printed {
  readonly command: string
  readonly direct: string
  readonly proxied: string
}

/** What each command of the script prints, and its exit code: once directly and once at `proxied`. */
export async function printedBoth(etcd: EtcdServer, proxied: string): Promise<readonly Printed[]> {
  const sides: readonly [Side, Side] = [
    { at: etcd.url, prefix: 'P1', revision: '2', lease: '' },
    { at: proxied, prefix: 'P2', revision: '3', lease: '' },
  ]
  const all: Printed[] = []
  for (const [command, input = ''] of SCRIPT) {
    const run = async (side: Side): Promise<string> => {
      const own = (text: string): string =>
        text
          .replaceAll(/\bP(?=[/-])/g, side.prefix)
          .replace('LEASE', side.lease)
          .replace('REVISION', side.revision)
      const parts = typeof command === 'string' ? command.split(' ') : command
      const printed = await etcd.etcdctl(side.at, [...PATIENT, ...parts.map(own)], own(input))
      side.lease = /lease ([\da-f]+) granted/.exec(printed)?.[1] ?? side.lease
      return steady(printed)
    }
    all.push({ command: words(command), direct: await run(sides[0]), proxied: await run(sides[1]) })
  }
  console.warn(`${SCRIPT.length} commands of etcdctl, each with and without the proxy.`)
  return all
}

const words = (command: string | readonly string[]): string =>
  typeof command === 'string' ? command : command.join(' ')
