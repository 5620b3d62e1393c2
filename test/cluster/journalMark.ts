/** Annotation that distinguishes each change of a test from every other. */
export const MARK = 'test.invalid/mark'
