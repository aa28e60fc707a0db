import java.nio.file.Path;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;
import nl.altindag.ssl.SSLFactory;
import nl.altindag.ssl.pem.util.PemUtils;
import respmark.Trial;

/** PEM files in the form that Jedis takes. */
final class Pem {
    private Pem() {}

    static SSLSocketFactory sockets(Trial.Tls tls) {
        SSLFactory.Builder factory = SSLFactory.builder();
        if (!tls.verify()) {
            factory.withUnsafeTrustMaterial();
        } else if (tls.caFile() == null) {
            factory.withDefaultTrustMaterial();
        } else {
            factory.withTrustMaterial(PemUtils.loadTrustMaterial(Path.of(tls.caFile())));
        }
        if (tls.certificateFile() != null) {
            Path key = Path.of(tls.keyFile() == null ? tls.certificateFile() : tls.keyFile());
            factory.withIdentityMaterial(PemUtils.loadIdentityMaterial(Path.of(tls.certificateFile()), key));
        }
        return factory.build().getSslSocketFactory();
    }

    static SSLParameters parameters(Trial.Tls tls) {
        SSLParameters parameters = new SSLParameters();
        parameters.setEndpointIdentificationAlgorithm(tls.verify() ? "HTTPS" : null);
        return parameters;
    }
}
