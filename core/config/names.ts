/** The forms of names that the API server accepts, and what to say of another one. */
const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const SUBDOMAIN_FORM = new RegExp(String.raw`^${LABEL}(\.${LABEL})*$`)
const LABEL_FORM = new RegExp(`^${LABEL}$`)
const KEY_FORM = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/

const LONGEST_SUBDOMAIN = 253
const LONGEST_LABEL = 63

/** DNS-1123 subdomain: names of objects and of service accounts. */
export const isSubdomain = (name: string): boolean => name.length <= LONGEST_SUBDOMAIN && SUBDOMAIN_FORM.test(name)

/** DNS-1123 label: names of namespaces. */
export const isLabel = (name: string): boolean => name.length <= LONGEST_LABEL && LABEL_FORM.test(name)

/** Key of a label and name of a finalizer: a name, before it perhaps a domain and a slash. */
export function isQualifiedName(key: string): boolean {
  const [first = '', second, ...more] = key.split('/')
  if (more.length > 0) return false
  const name = second ?? first
  return name.length <= LONGEST_LABEL && KEY_FORM.test(name) && (second === undefined || isSubdomain(first))
}

/** Value of a label. */
export const isLabelValue = (value: string): boolean =>
  value === '' || (value.length <= LONGEST_LABEL && KEY_FORM.test(value))

export const SUBDOMAIN_RULE = `at most ${LONGEST_SUBDOMAIN} lower-case letters, digits, “-” and “.”, with a letter or digit at both ends and beside every “.”`
export const LABEL_RULE = `at most ${LONGEST_LABEL} lower-case letters, digits and “-”, with a letter or digit at both ends`
export const QUALIFIED_NAME_RULE = `at most ${LONGEST_LABEL} letters, digits, “-”, “_” and “.”, with a letter or digit at both ends; a domain and “/” may stand before it`
export const LABEL_VALUE_RULE = `nothing, or at most ${LONGEST_LABEL} letters, digits, “-”, “_” and “.”, with a letter or digit at both ends`
