export default defineEventHandler(async (event) => {
  if (!event.headers.get('accept')?.includes('text/html') && event.path !== '/') return
  const { trailmarkToken } = useRuntimeConfig(event).public
  event.context.bootstrap = await flagsOf(event, getCookie(event, `ph_${trailmarkToken}_posthog`))
  // The page has the visitor's id.
  setHeader(event, 'cache-control', 'private, no-store')
})
