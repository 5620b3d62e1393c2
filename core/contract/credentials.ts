import { z } from 'zod'

/**
 * Credentials for addresses of metrics pages and of a Prometheus, read and used in the main process. `token` and
 * `password` travel from the form to it and never back: `publicSpec` removes them from everything that is remembered or
 * emitted. Files are paths on this machine.
 */
export const AddressCredentialsSchema = z.object({
  token: z.string().min(1).optional(),
  tokenFile: z.string().min(1).optional(),
  username: z.string().min(1).optional(),
  password: z.string().optional(),
  passwordFile: z.string().min(1).optional(),
  clientCertificate: z.string().min(1).optional(),
  clientKey: z.string().min(1).optional(),
  certificateAuthority: z.string().min(1).optional(),
  insecureSkipTlsVerify: z.boolean().optional(),
})
export type AddressCredentials = z.infer<typeof AddressCredentialsSchema>
