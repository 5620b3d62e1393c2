import '../theme/fonts.css'
import '../theme/tokens.css'
import '../theme/global.css'
import '../theme/layout.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import type { Client } from '../../core/contract/contract.ts'
import { startRoutes } from '../state/route.ts'
import { startState } from '../state/start.ts'
import { App } from './App.tsx'

/** Starts the state and draws the console into `#root`. Returns the function that ends both. */
export function mount(client: Client): () => void {
  const root = document.querySelector('#root')
  if (root === null) throw new Error('The page has no #root to draw the console into.')
  const stopRoutes = startRoutes()
  const stopState = startState(client)
  const drawn = createRoot(root)
  drawn.render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
  return () => {
    drawn.unmount()
    stopState()
    stopRoutes()
  }
}
