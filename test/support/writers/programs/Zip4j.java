import java.io.File;
import net.lingala.zip4j.ZipFile;
import net.lingala.zip4j.model.ZipParameters;

class Zip4j {
  public static void main(String[] args) throws Exception {
    var parameters = new ZipParameters();
    parameters.setIncludeRootFolder(false);
    try (var archive = new ZipFile(args[0])) {
      archive.addFolder(new File(".").getCanonicalFile(), parameters);
    }
  }
}
