package respmark;

import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import nl.altindag.ssl.SSLFactory;
import nl.altindag.ssl.pem.util.PemUtils;

/** A trial's TLS for libraries that take Java's own objects and no PEM files. */
public final class Pem {
    private Pem() {}

    /** With the trial's authorities, if it names any, and its certificate, if it has one. */
    public static SSLContext context(Trial.Tls tls) {
        return factory(tls).getSslContext();
    }

    /** The same for libraries that make a context themselves. */
    public static SSLFactory factory(Trial.Tls tls) {
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
        return factory.build();
    }
}
