/** Schemas and matching: terms in one or two sentences each. */
export const OBJECTS = {
  'flow-schema': [
    'flow schema',
    'A rule that matches requests, in order of precedence, and sends them to a priority level.',
  ],
  'matching-precedence': [
    'matching precedence',
    'The place of a schema in the order in which schemas are tried: lower numbers first, the name decides between equals, and the first match wins.',
  ],
  subject: ['subject', 'Whom a rule of a schema is about: a user, a group or a service account.'],
  rule: [
    'rule',
    'A part of a schema: subjects, and what they ask for. A request matches when one subject and one resource or non-resource entry of the same rule do.',
  ],
  'cluster-scope': [
    'clusterScope',
    'Whether a rule matches requests that name no namespace. The namespace * does not match them.',
  ],
  dangling: [
    'dangling',
    'A schema that names a priority level which does not exist. The server skips it when it matches requests.',
  ],
  shadowed: ['shadowed', 'A schema that never gets a request because those before it take all that it would match.'],
  'long-running': [
    'long-running request',
    'A watch, or a request such as exec, attach, log or proxy, that stays open. It does not hold seats for as long as it is open.',
  ],
  watch: [
    'watch',
    'A request that stays open to tell changes. It holds seats only until its first objects are sent; writes cost more the more watches there are.',
  ],
  probes: [
    'probes',
    'The requests to /healthz, /livez and /readyz by which a load balancer or the kubelet sees whether the server is well. The built-in schema probes exempts them.',
  ],
  mandatory: [
    'mandatory object',
    'The levels and schemas exempt and catch-all. The server always has them and puts back what is changed, except the seats of exempt.',
  ],
  suggested: [
    'suggested object',
    'A built-in level or schema that the server creates and keeps as in its release unless its annotation says that you keep it.',
  ],
  quiescing: [
    'quiescing',
    'A level whose object was deleted while requests were still in it. It serves them, keeps its seats and then goes.',
  ],
  'resource-uid': [
    'UID headers',
    'Two headers of every answer name the schema and the level that the request went through, by UID.',
  ],
} as const
