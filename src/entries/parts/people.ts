export { people } from '../../client/features/people/people'
