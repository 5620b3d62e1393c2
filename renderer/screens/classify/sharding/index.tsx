export { ShardingPage } from './ShardingPage.tsx'
