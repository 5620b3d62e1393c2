/** The same for the queries and events of the page. */
import { configure } from '@testing-library/react'
import { PATIENCE_MS } from './patience.ts'

configure({ asyncUtilTimeout: PATIENCE_MS })
