import { defineEnvVars } from '@sveltejs/kit/env'

export const variables = defineEnvVars({
  PUBLIC_TRAILMARK_HOST: { public: true },
  PUBLIC_TRAILMARK_TOKEN: { public: true },
})
