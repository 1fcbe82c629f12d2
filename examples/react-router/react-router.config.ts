import type { Config } from '@react-router/dev/config'

// With `lazy`, the development server of 8.4 forgets the other routes when one is edited.
export default { routeDiscovery: { mode: 'initial' } } satisfies Config
