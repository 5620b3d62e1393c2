import { ProblemError } from '../../core/contract/errors.ts'

/** Why a port that an option named cannot be listened on, in a sentence; other errors stay as they are. */
export function portProblem(error: unknown, option: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new ProblemError('unsupported', `Port ${port} is in use; give another one or leave out --${option}.`)
  if (code === 'EACCES')
    return new ProblemError('forbidden', `This user may not listen on port ${port}; give one above 1023.`)
  return error
}
