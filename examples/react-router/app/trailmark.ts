export const token: string = import.meta.env.VITE_TRAILMARK_TOKEN ?? ''
export const host: string = import.meta.env.VITE_TRAILMARK_HOST ?? ''
export const options = { api_host: host, defaults: '2026-01-30' }
