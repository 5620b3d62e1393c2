import type { SharedFile } from '../../core/contract/recording.ts'
import type { Handlers } from '../../core/contract/contract.ts'

/** Sends an exported recording as a page does, in one part. Resolves to its id. */
export async function sendRecording({ procedures }: Pick<Handlers, 'procedures'>, file: SharedFile): Promise<string> {
  const bytes = Buffer.from(file.base64, 'base64').length
  const upload = await procedures['recordings.upload']({ name: file.name, bytes })
  await procedures['recordings.uploadPart']({ upload, at: 0, base64: file.base64 })
  return procedures['recordings.import']({ upload })
}
