import { render } from 'preact'
import '../styles/tokens.css'
import '../styles/base.css'
import '../styles/controls.css'
import '../styles/data.css'
import { SharedPage } from './page.tsx'

// The page that shows shares. Its token is in the fragment, which browsers send to no server.

const theme = new URLSearchParams(location.search).get('theme')
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme

const show = () =>
  render(
    <SharedPage key={location.hash} token={location.hash.slice(1)} isFramed={window.parent !== window} />,
    document.getElementById('shared')!,
  )

window.addEventListener('hashchange', show)
show()
