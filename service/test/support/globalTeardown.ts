import { removeRunFolder } from './runFolder.ts'

export default removeRunFolder
