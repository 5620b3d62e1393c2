/** Changing objects: terms in one or two sentences each. */
export const CHANGES = {
  draft: [
    'draft',
    'Changes that are not applied: they are checked, previewed and kept across restarts, and touch nothing.',
  ],
  'seat-impact': [
    'seat impact',
    'What a draft does to the seats of every level: nominal limit, min, max and widest request, before and after.',
  ],
  'guard-rail': [
    'guard rail',
    'A check of a draft against what must not break: probes, leases, heartbeats, system traffic, objects that somebody else puts back.',
  ],
  'dry-run': [
    'dry run',
    'Asking the server what it would say to a change: it validates and admits it and stores nothing.',
  ],
  'server-side-apply': [
    'server-side apply',
    'A way to write an object in which the server remembers who set which field and refuses to overwrite the fields of others.',
  ],
  'field-manager': [
    'field manager',
    'The name under which a writer owns the fields that it set. This console has its own.',
  ],
  'resource-version': [
    'resourceVersion',
    'The version of a stored object; it changes with every write. A change that was made from an older one is a conflict.',
  ],
  reconciler: [
    'reconciler',
    'The part of the API server that looks at the built-in objects once a minute and puts back what it is told to keep.',
  ],
  'autoupdate-spec': [
    'autoupdate-spec',
    'The annotation apf.kubernetes.io/autoupdate-spec: “true” lets the server put a suggested object back as its release has it, “false” leaves it to you.',
  ],
  journal: [
    'journal',
    'Every change that was applied from here, with what was before, so that it can be undone and redone.',
  ],
  drift: [
    'drift',
    'How the objects differ from those that they should equal: the built-in ones, another cluster’s, or a folder’s.',
  ],
} as const
