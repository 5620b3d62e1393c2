export { AllocationScreen } from './AllocationScreen.tsx'
