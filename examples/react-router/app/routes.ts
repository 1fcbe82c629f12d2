import { index, route, type RouteConfig } from '@react-router/dev/routes'

export default [
  index('routes/home.tsx'),
  route('pricing', 'routes/pricing.tsx'),
  route('blog/:slug', 'routes/post.tsx'),
  route('slow', 'routes/slow.tsx'),
] satisfies RouteConfig
