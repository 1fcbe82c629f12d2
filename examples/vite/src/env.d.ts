/// <reference types="vite/client" />

interface ImportMetaEnv {
  readonly VITE_TRAILMARK_HOST?: string
  readonly VITE_TRAILMARK_TOKEN?: string
}
