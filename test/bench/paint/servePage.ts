import path from 'node:path'
import { build, preview } from 'vite'
import { ROOT } from './build.ts'

const PAGE = path.join(ROOT, 'test/harness/page')

/** The synthetic page, built as for production and served from a folder of its own. */
export async function servePage(folder: string): Promise<{ url: string; close: () => Promise<void> }> {
  const config = { root: PAGE, configFile: path.join(PAGE, 'vite.config.ts'), logLevel: 'error' } as const
  await build({ ...config, build: { outDir: folder, emptyOutDir: true } })
  const server = await preview({ ...config, build: { outDir: folder }, preview: { port: 0, host: '127.0.0.1' } })
  const [url] = server.resolvedUrls?.local ?? []
  if (url === undefined) throw new Error('The preview server gave no address.')
  return { url, close: () => server.close() }
}
