/** JMH benchmarks of Jedis and Lettuce, and the program that runs them. */
package org.respmark.bench;
