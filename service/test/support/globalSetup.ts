import { createRunFolder } from './runFolder.ts'

export default createRunFolder
