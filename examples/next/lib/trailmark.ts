export const token = process.env.NEXT_PUBLIC_TRAILMARK_TOKEN ?? ''
export const host = process.env.NEXT_PUBLIC_TRAILMARK_HOST ?? ''
export const options = { api_host: host, defaults: '2026-01-30' }
