import { render } from 'preact'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/controls.css'
import './styles/data.css'
import { App } from './app.tsx'
import { applyTheme } from './lib/theme.ts'
import { followLinks } from './router.ts'

applyTheme()
followLinks()
render(<App />, document.getElementById('app')!)
