import { Feature, Analytics } from '../../types.cjs'
export * from '../../types.cjs'
declare const createAnalytics: ({ features }: { features: readonly Feature[] }) => Analytics
export { createAnalytics }
