export { DriftPage } from './DriftPage.tsx'
