import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { TrailmarkProvider } from 'trailmark/react'
import { App } from './App'

const { VITE_TRAILMARK_TOKEN: token = '', VITE_TRAILMARK_HOST: host } = import.meta.env
const options = { api_host: host, defaults: '2026-01-30' }

createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <TrailmarkProvider token={token} options={options}>
      <App />
    </TrailmarkProvider>
  </StrictMode>,
)
